//! A terminal for a program to write to.

use std::{
    fs::{File, OpenOptions},
    io::Read as _,
    process::Stdio,
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::server::Text;

/// The side of a person.
pub(crate) struct Terminal(File);

impl Terminal {
    /// A new terminal.
    pub(crate) fn open() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        Self(person.into())
    }

    /// The side of the program, as its standard output.
    pub(crate) fn side_of_the_program(&self) -> Stdio {
        let name = ptsname(&self.0, Vec::new()).unwrap();
        OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap().into()
    }

    /// Adds what the program writes to a text, until the program has ended. Line breaks are what the program wrote, not
    /// what the terminal makes of them.
    pub(crate) fn collect(self, text: Text) {
        let Self(mut person) = self;
        // A thread, since a terminal can't be waited for like a socket. It ends with the program.
        std::thread::spawn(move || {
            let mut buffer = vec![0; 8 * 1024];
            while let Ok(count @ 1..) = person.read(&mut buffer) {
                let written: Vec<u8> = buffer.iter().take(count).copied().filter(|byte| *byte != b'\r').collect();
                text.add(&written);
            }
        });
    }
}
