//! The guide and the README of the project as doctests: their programs are compiled and run.
//!
//! They are here because this crate sees every library that they use. A test of `xtask` checks
//! that no page is missing.

macro_rules! page {
    ($name:ident, $path:literal) => {
        #[doc = include_str!(concat!("../../../", $path))]
        pub struct $name;
    };
}

page!(Readme, "README.md");
page!(Index, "docs/guide/README.md");
page!(FirstGhost, "docs/guide/01-first-ghost.md");
page!(Publishing, "docs/guide/02-publishing.md");
page!(Showing, "docs/guide/03-showing.md");
page!(OwnNetworking, "docs/guide/04-own-networking.md");
page!(ClientAndServer, "docs/guide/05-client-and-server.md");
page!(AuthoritativeGame, "docs/guide/06-an-authoritative-game.md");
page!(BadNetworks, "docs/guide/07-bad-networks.md");
page!(HitsAndCheats, "docs/guide/08-hits-and-cheats.md");
page!(Foresight, "docs/guide/09-foresight.md");
page!(RunningAServer, "docs/guide/10-running-a-server.md");
page!(YourOwnData, "docs/guide/11-your-own-data.md");
page!(FromDisToABrowser, "docs/guide/12-from-dis-to-a-browser.md");
page!(InC, "docs/guide/13-c.md");
page!(InJavaScript, "docs/guide/14-javascript.md");
page!(InPython, "docs/guide/15-python.md");
page!(InBevy, "docs/guide/16-bevy.md");
