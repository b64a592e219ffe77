package dev.berth.server.api.server;

import java.time.Instant;
import java.util.Optional;

/** The TCP port of the server. */
public interface ListeningPort {

    /** The URL for programs on this machine. */
    String url();

    /** True if users may log in by password. */
    boolean hasPasswordLogin();

    /** What is wrong with its TLS certificate. */
    Optional<String> certificateProblem(Instant now);
}
