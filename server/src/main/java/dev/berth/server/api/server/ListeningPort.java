package dev.berth.server.api.server;

import java.time.Instant;
import java.util.Optional;

/** The TCP port of the server. */
public interface ListeningPort {

    /** The URL for programs on this machine. */
    String url();

    /** What is wrong with its TLS certificate. */
    Optional<String> certificateProblem(Instant now);
}
