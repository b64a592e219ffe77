package dev.berth.cli.link;

import dev.berth.cli.link.LinkFailure.Kind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a server may be found. */
public sealed interface Place {

    /** What people call it. */
    Path name();

    /** Its socket now; a server that is started again may have another. */
    Path socket() throws LinkFailure;

    /** A home directory. */
    record Home(Path name) implements Place {
        @Override
        public Path socket() throws LinkFailure {
            Path usual = Homes.socketIn(name);
            if (!Homes.isTooLong(usual)) {
                return usual;
            }
            Path pointer = Homes.socketPointerIn(name);
            try {
                return Path.of(Files.readString(pointer).strip());
            } catch (IOException unreadable) {
                throw new LinkFailure(Kind.NO_SERVER, "cannot read " + pointer);
            }
        }
    }

    /** A socket, whatever home it belongs to. */
    record Socket(Path name) implements Place {
        @Override
        public Path socket() {
            return name;
        }
    }
}
