//! Passwords: argon2id on the blocking pool, never more at once than half of the cores. What a password may be is
//! `credentials`.
//!
//! One hash takes about 20 ms of a core and 19 MB while it runs, so the bound is what keeps a crowd that logs in from
//! taking the server's memory. Invariants: checking a name that does not exist takes as long as checking one that
//! does; when nobody logs in, none of that memory is held.

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// OWASP's first choice for argon2id, and the crate's default, written down so that a new default is our decision.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The hash of no password, made with the same parameters: what a wrong name is compared with.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    #[error("the server is stopping")]
    Stopping,
}

/// The hashing, with its bound. Cloning shares the bound.
#[derive(Clone, Debug)]
pub struct Passwords {
    permits: Arc<Semaphore>,
}

/// How many hashes run at once: on half of the cores, so that a crowd that logs in leaves the other half to the game.
pub fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}

impl Passwords {
    pub fn new(at_once: usize) -> Passwords {
        Passwords { permits: Arc::new(Semaphore::new(at_once)) }
    }

    /// The PHC string of a password, with a fresh salt.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let password = password.to_owned();
        self.run(move || {
            let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("they are within the bounds of argon2");
            let salt = Salt::generate();
            let output =
                argon2id(Version::V0x13, &params, &password, &salt).expect("salt and password have good sizes");
            let hash = PasswordHash {
                algorithm: Algorithm::Argon2id.ident(),
                version: Some(Version::V0x13.into()),
                params: ParamsString::try_from(&params).expect("three numbers fit"),
                salt: Some(salt),
                hash: Some(output),
            };
            hash.to_string()
        })
        .await
    }

    /// Whether the password is the one of this PHC string. `None`, and a string that is none, take as long and are
    /// never right.
    pub async fn verify(&self, password: &str, phc: Option<String>) -> Result<bool, HashError> {
        let password = password.to_owned();
        self.run(move || {
            let known = phc.as_deref().and_then(|phc| compare(&password, phc));
            // Here lies the time that an unknown name takes.
            known.unwrap_or_else(|| compare(&password, NOBODY).is_none())
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, HashError> {
        // The permit goes with the work: a caller who hangs up frees nothing before the hash is done.
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| HashError::Stopping)?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match done.await {
            Ok(value) => Ok(value),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(HashError::Stopping),
        }
    }
}

/// `None`: this is not the PHC string of an argon2id hash.
fn compare(password: &str, phc: &str) -> Option<bool> {
    let stored = PasswordHash::new(phc).ok().filter(|stored| stored.algorithm == Algorithm::Argon2id.ident())?;
    let version = Version::try_from(stored.version?).ok()?;
    let params = Params::try_from(&stored).ok()?;
    let output = argon2id(version, &params, password, &stored.salt?)?;
    // `Output` compares in constant time.
    Some(output == stored.hash?)
}

/// The hash itself. `None`: the sizes of salt or output are out of bounds.
fn argon2id(version: Version, params: &Params, password: &str, salt: &Salt) -> Option<Output> {
    let size = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let mut output = [0; Output::MAX_LENGTH];
    let output = output.get_mut(..size)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, version, params.clone());
    let memory = scratch(params.block_count());
    argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, memory).ok()?;
    Output::new(output).ok()
}

/// The working memory of one hash. It asks for more room than it touches: glibc keeps freed blocks of up to 32 MiB
/// for the thread that had them, and after a crowd had logged in that was 19 MB for each of 50 threads of the
/// blocking pool (measured); larger ones go back to the system at once.
fn scratch(blocks: usize) -> Vec<Block> {
    const NEVER_KEPT_BYTES: usize = 33 * 1024 * 1024;
    let mut memory = Vec::with_capacity(blocks.max(NEVER_KEPT_BYTES / Block::SIZE));
    memory.resize(blocks, Block::new());
    memory
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn a_hash_is_a_phc_string_that_only_its_password_opens() {
        let passwords = Passwords::new(2);
        let hash = passwords.hash("correct horse").await.expect("the test is not stopping");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        for (password, right) in [("correct horse", true), ("Correct horse", false), ("", false)] {
            assert_eq!(passwords.verify(password, Some(hash.clone())).await, Ok(right), "{password:?}");
        }
        let again = passwords.hash("correct horse").await;
        assert_ne!(again, Ok(hash), "each has a salt of its own");
    }

    #[tokio::test]
    async fn nothing_opens_an_account_without_a_password() {
        let passwords = Passwords::new(2);
        let other_kind = NOBODY.replace("argon2id", "argon2i");
        for stored in [None, Some(""), Some("plain"), Some(NOBODY), Some(&other_kind), Some("$argon2id$v=19")] {
            assert_eq!(passwords.verify("plain", stored.map(str::to_owned)).await, Ok(false), "{stored:?}");
        }
    }

    #[tokio::test]
    async fn the_hashes_are_those_of_everybody_elses_argon2() {
        use argon2::{PasswordHasher, PasswordVerifier};
        let ours = Passwords::new(2).hash("correct horse").await.expect("the test is not stopping");
        assert!(Argon2::default().verify_password(b"correct horse", ours.as_str()).is_ok());
        let theirs = Argon2::default().hash_password(b"correct horse").expect("it can be hashed").to_string();
        assert_eq!(Passwords::new(2).verify("correct horse", Some(theirs)).await, Ok(true));
    }

    #[test]
    fn an_unknown_name_is_checked_with_the_same_work_as_a_known_one() {
        let nobody = PasswordHash::new(NOBODY).expect("it is a PHC string");
        let params = Params::try_from(&nobody).expect("it names its parameters");
        assert_eq!((params.m_cost(), params.t_cost(), params.p_cost()), (MEMORY_KIB, PASSES, LANES));
        assert_eq!(nobody.hash.map(|hash| hash.len()), Some(Params::DEFAULT_OUTPUT_LEN));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_more_run_at_once_than_there_are_permits() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let passwords = Passwords::new(2);
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let passwords = passwords.clone();
                tokio::spawn(async move {
                    let work = || {
                        let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
                        MOST.fetch_max(running, Ordering::SeqCst);
                        std::thread::yield_now();
                        RUNNING.fetch_sub(1, Ordering::SeqCst);
                    };
                    passwords.run(work).await
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.expect("it does not panic"), Ok(()));
        }
        assert!(MOST.load(Ordering::SeqCst) <= 2);
    }
}
