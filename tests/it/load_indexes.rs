//! Indexes go and come back.

use anyhow::Result;
use plimsoll::load::index_ddl::{DropRule, plan_drop};
use plimsoll_tests::servers;

use crate::load_fixture::facts;

#[tokio::test]
async fn indexes_come_back_exactly_and_a_second_rebuild_does_nothing() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database
            .run(
                "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(50), b INT, g INT, \
                 UNIQUE KEY `odd``name` (b) COMMENT 'it''s, one', KEY ab (a(10), b), \
                 FULLTEXT KEY ft (a))",
            )
            .await?;
        let before = facts(&database, "t").await?;
        let dropped = plan_drop(&before, DropRule::UniqueToo).expect("something to drop");
        assert_eq!(dropped.names.len(), 3);
        let mut conn = database.connect().await?;
        dropped.drop(&mut conn).await?;
        assert_eq!(facts(&database, "t").await?.indexes.len(), 1);
        dropped.rebuild(&mut conn).await?;
        dropped.rebuild(&mut conn).await?;
        let after = facts(&database, "t").await?;
        let definitions = |f: &shared::target::TableFacts| {
            let mut all: Vec<String> = f.indexes.iter().map(|i| i.definition.clone()).collect();
            all.sort();
            all
        };
        assert_eq!(definitions(&after), definitions(&before));
    }
    Ok(())
}
