//! Rebuilds when a migration changes, which `embed_migrations!` can't ask for, and names the set of migrations.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    io,
    path::Path,
};

fn main() -> io::Result<()> {
    let root = Path::new("migrations");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut hasher = DefaultHasher::new();
    hash(root, &mut hasher)?;
    println!("cargo:rustc-env=CHORUS_MIGRATIONS_HASH={:016x}", hasher.finish());
    Ok(())
}

fn hash(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        let mut entries =
            fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        entries.iter().try_for_each(|entry| hash(entry, hasher))
    } else {
        hasher.write(path.to_string_lossy().as_bytes());
        hasher.write(&fs::read(path)?);
        Ok(())
    }
}
