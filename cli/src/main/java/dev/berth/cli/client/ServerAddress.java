package dev.berth.cli.client;

import dev.berth.cli.client.ConnectionFailure.Kind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An address at which a server may listen. */
public sealed interface ServerAddress {

    /** The path shown to the user. */
    Path path();

    /** The current socket. A restarted server may have another one. */
    Path socket() throws ConnectionFailure;

    /** The home directory of a server. */
    record HomeDirectory(Path path) implements ServerAddress {
        @Override
        public Path socket() throws ConnectionFailure {
            Path socket = ServerAddresses.socketPath(path);
            if (!ServerAddresses.isTooLong(socket)) {
                return socket;
            }
            Path pointer = ServerAddresses.socketPointerPath(path);
            try {
                return Path.of(Files.readString(pointer).strip());
            } catch (IOException unreadable) {
                throw new ConnectionFailure(Kind.NO_SERVER, "cannot read " + pointer);
            }
        }
    }

    /** A socket; its home is not known. */
    record SocketFile(Path path) implements ServerAddress {
        @Override
        public Path socket() {
            return path;
        }
    }
}
