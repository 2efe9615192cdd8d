//! Connections, capabilities, table facts and the sandbox server.
