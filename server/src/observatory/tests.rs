use super::*;
use crate::capture::Capture;
use crate::minds::Minds;
use crate::saver::Saver;
use crate::store::testing;
use world::character::PlayerFlags;
