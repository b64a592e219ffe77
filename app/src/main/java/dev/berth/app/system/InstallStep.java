package dev.berth.app.system;

import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.List;
import java.util.Optional;

/** One part of an installation. */
sealed interface InstallStep {

    /** What has to be done, in words; empty if nothing has to be done. */
    Optional<String> pending() throws IOException;

    void apply() throws IOException;

    /**
     * Who may access a file.
     *
     * @param mode octal, with the sticky bit
     * @param group a name; its owner is root or {@code owner}
     */
    record Access(int mode, String owner, String group) {

        static Access ofRoot(int mode) {
            return new Access(mode, "root", "root");
        }

        /** False if the file has other permissions or owners. */
        boolean isOf(Path file, boolean comparesOwners) throws IOException {
            int found = (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (found & 07777) == mode && (!comparesOwners || hasOwners(file));
        }

        private boolean hasOwners(Path file) throws IOException {
            var found =
                    Files.readAttributes(
                            file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.owner().getName().equals(owner) && found.group().getName().equals(group);
        }

        void applyTo(Path file, boolean setsOwners) throws IOException {
            if (setsOwners) {
                var names = FileSystems.getDefault().getUserPrincipalLookupService();
                var view =
                        Files.getFileAttributeView(
                                file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                view.setOwner(names.lookupPrincipalByName(owner));
                view.setGroup(names.lookupPrincipalByGroupName(group));
            }
            Files.setAttribute(file, "unix:mode", mode);
        }
    }

    /** A system account without a password and a login shell. */
    record Account(String name, Path home) implements InstallStep {
        @Override
        public Optional<String> pending() throws IOException {
            try {
                var _ =
                        FileSystems.getDefault()
                                .getUserPrincipalLookupService()
                                .lookupPrincipalByName(name);
                return Optional.empty();
            } catch (UserPrincipalNotFoundException absent) {
                return Optional.of("create the account " + name);
            }
        }

        @Override
        public void apply() throws IOException {
            var _ =
                    Programs.run(
                            List.of(
                                    "useradd",
                                    "--system",
                                    "--user-group",
                                    "--no-create-home",
                                    "--home-dir",
                                    home.toString(),
                                    "--shell",
                                    "/usr/sbin/nologin",
                                    "--comment",
                                    "Berth server",
                                    name));
        }
    }

    /**
     * A directory with its permissions.
     *
     * @param setsOwners false where the accounts of another machine are meant
     */
    record Directory(Path path, Access access, boolean setsOwners) implements InstallStep {
        @Override
        public Optional<String> pending() throws IOException {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of("create the directory " + described());
            }
            return access.isOf(path, setsOwners)
                    ? Optional.empty()
                    : Optional.of("set the permissions of " + described());
        }

        private String described() {
            return "%s (%04o %s:%s)".formatted(path, access.mode(), access.owner(), access.group());
        }

        @Override
        public void apply() throws IOException {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(
                        path,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            }
            access.applyTo(path, setsOwners);
        }
    }

    /**
     * A text file.
     *
     * @param keepsExisting a file that an admin may have changed stays as it is
     */
    record TextFile(
            Path path, String text, Access access, boolean keepsExisting, boolean setsOwners)
            implements InstallStep {
        @Override
        public Optional<String> pending() throws IOException {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of("write " + path);
            }
            boolean isSame =
                    keepsExisting
                            || (Files.readString(path).equals(text)
                                    && access.isOf(path, setsOwners));
            return isSame ? Optional.empty() : Optional.of("replace " + path);
        }

        @Override
        public void apply() throws IOException {
            var next = path.resolveSibling(path.getFileName() + ".new");
            Files.deleteIfExists(next);
            Files.createFile(
                    next,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(next, text);
            access.applyTo(next, setsOwners);
            AtomicFile.renameDurably(next, path);
        }
    }

    /** A symbolic link. A file or a foreign link in its place is kept. */
    record Link(Path path, Path target) implements InstallStep {
        @Override
        public Optional<String> pending() throws IOException {
            if (Files.isSymbolicLink(path) && Files.readSymbolicLink(path).equals(target)) {
                return Optional.empty();
            }
            return Optional.of("link " + path + " to " + target);
        }

        @Override
        public void apply() throws IOException {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(path)) {
                throw new IOException(
                        path + " exists and is no link: move it away, then install again");
            }
            AtomicFile.replaceLink(path, target, path.getFileName() + ".new");
        }
    }

    /**
     * A call of another program.
     *
     * @param isNeeded false if its effect is there already
     */
    record Call(List<String> command, boolean isNeeded) implements InstallStep {
        public Call {
            command = List.copyOf(command);
        }

        @Override
        public Optional<String> pending() {
            return isNeeded ? Optional.of("run " + String.join(" ", command)) : Optional.empty();
        }

        @Override
        public void apply() throws IOException {
            var _ = Programs.run(command);
        }
    }

    /** A copy of the program. */
    record Program(ProgramCopy copy) implements InstallStep {
        @Override
        public Optional<String> pending() throws IOException {
            return copy.isComplete()
                    ? Optional.empty()
                    : Optional.of("copy the program to " + copy.directory());
        }

        @Override
        public void apply() throws IOException {
            copy.write();
        }
    }

    /** Removes a file, a link or a whole directory. */
    record Removal(Path path) implements InstallStep {
        @Override
        public Optional<String> pending() {
            return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                    ? Optional.of("remove " + path)
                    : Optional.empty();
        }

        @Override
        public void apply() throws IOException {
            FileTrees.delete(path);
        }
    }
}
