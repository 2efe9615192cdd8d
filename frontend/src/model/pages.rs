//! Which page an address shows.

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// `/`.
    Import,
    /// `/runs`.
    Runs,
    /// `/runs/compare`.
    Compare,
    /// `/runs/{id}`.
    Run,
    /// `/estimate`.
    Estimate,
    /// `/trials`.
    Trials,
    /// `/targets`.
    Targets,
    /// `/team`.
    Team,
    /// `/invitation`.
    Invitation,
    /// `/kit`.
    Kit,
    /// None of these.
    Lost,
}

impl Page {
    /// The page of a path.
    pub fn of(path: &str) -> Self {
        match path.trim_end_matches('/') {
            "" => Self::Import,
            "/runs" => Self::Runs,
            "/runs/compare" => Self::Compare,
            "/estimate" => Self::Estimate,
            "/trials" => Self::Trials,
            "/targets" => Self::Targets,
            "/team" => Self::Team,
            "/invitation" => Self::Invitation,
            "/kit" => Self::Kit,
            other if !run_id(other).is_empty() => Self::Run,
            _ => Self::Lost,
        }
    }

    /// The entry of the main menu that it belongs to, by its address.
    pub const fn root(self) -> &'static str {
        match self {
            Self::Import => "/",
            Self::Runs | Self::Compare | Self::Run => "/runs",
            Self::Estimate => "/estimate",
            Self::Trials => "/trials",
            Self::Targets => "/targets",
            Self::Team => "/team",
            Self::Invitation | Self::Kit | Self::Lost => "",
        }
    }
}

/// The run in a path; empty where there is none.
pub fn run_id(path: &str) -> String {
    let id = path.strip_prefix("/runs/").unwrap_or_default().trim_end_matches('/');
    if id.contains('/') || id == "compare" { String::new() } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_page() {
        for (path, page) in [
            ("/", Page::Import),
            ("/runs", Page::Runs),
            ("/runs/", Page::Runs),
            ("/runs/compare", Page::Compare),
            ("/runs/01ABC", Page::Run),
            ("/runs/01ABC/x", Page::Lost),
            ("/estimate", Page::Estimate),
            ("/trials", Page::Trials),
            ("/targets", Page::Targets),
            ("/team", Page::Team),
            ("/invitation", Page::Invitation),
            ("/kit", Page::Kit),
            ("/nothing", Page::Lost),
        ] {
            assert_eq!(Page::of(path), page, "{path}");
        }
        assert_eq!(run_id("/runs/01ABC"), "01ABC");
        assert_eq!(Page::Run.root(), "/runs");
    }
}
