package dev.berth.server;

import dev.berth.server.identity.Auth;

import java.nio.file.Path;

/**
 * Where the door is and who may come in.
 *
 * @param home holds the socket
 * @param port on 127.0.0.1; 0 takes any that is free
 * @param shortRoot a directory with a short name, for the socket of a home whose own path is too
 *     long for one
 */
public record DoorSettings(Path home, int port, Auth auth, Path shortRoot) {

    public DoorSettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port is 0 to 65535, not " + port);
        }
    }
}
