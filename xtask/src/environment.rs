//! What the programs that xtask starts see of the environment, as a change to its own.

use anyhow::{Context, Result};
use duct::Expression;
use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// A change to the environment: folders put first on PATH, variables set or removed.
#[derive(Clone, Default)]
pub struct Environment {
    path_first: Vec<PathBuf>,
    variables: BTreeMap<&'static str, Option<OsString>>,
}

impl Environment {
    /// Puts `folder` on PATH, behind those put there before and before the user's own.
    pub fn add_path(&mut self, folder: impl Into<PathBuf>) {
        let folder = folder.into();
        if !self.path_first.contains(&folder) {
            self.path_first.push(folder);
        }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &'static str, value: impl AsRef<OsStr>) {
        self.variables.insert(name, Some(value.as_ref().to_owned()));
    }

    /// Takes a variable away.
    pub fn remove(&mut self, name: &'static str) {
        self.variables.insert(name, None);
    }

    /// The folders in which a program started in this environment is looked for.
    fn search_path(&self) -> Vec<PathBuf> {
        let own = env::var_os("PATH").unwrap_or_default();
        self.path_first.iter().cloned().chain(env::split_paths(&own)).collect()
    }

    /// The file that the name of a program stands for in this environment. An absolute path stands for itself.
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        // npm is a script on Windows.
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
        let names = endings.iter().map(|ending| format!("{program}{ending}")).collect::<Vec<_>>();
        self.search_path()
            .into_iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|file| is_executable(file))
    }

    /// A command line in this environment. The program is looked up here, since a child is otherwise searched for on
    /// the parent's PATH on some systems.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Result<Expression> {
        let file = self.find(program).with_context(|| format!("{program} is not on PATH: install it"))?;
        let path = env::join_paths(self.search_path()).context("a folder on PATH has a name that PATH cannot hold")?;
        let mut expression = duct::cmd(file, arguments).env("PATH", path);
        for (name, value) in &self.variables {
            expression = match value {
                Some(value) => expression.env(name, value),
                None => expression.env_remove(name),
            };
        }
        Ok(expression)
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_sees_the_added_folder_first_and_the_variables_as_changed() {
        let mut environment = Environment::default();
        environment.add_path("/first/of/all");
        environment.set("CAPSCOPE_XTASK_TEST", "seen");
        environment.remove("CARGO_MANIFEST_DIR");
        let script = r#"echo "${PATH%%:*} $CAPSCOPE_XTASK_TEST [$CARGO_MANIFEST_DIR]""#;
        let output = environment.command("sh", &["-c", script]).unwrap().read().unwrap();
        assert_eq!(output, "/first/of/all seen []");
    }

    #[test]
    fn an_absent_program_is_an_error_that_names_it() {
        let error = Environment::default().command("no-such-program-here", &[]).unwrap_err().to_string();
        assert!(error.contains("no-such-program-here"), "{error}");
    }
}
