package dev.berth.server.tls;

import java.nio.file.Path;

/**
 * The PEM files of a server.
 *
 * @param certificate the server's certificate, followed by those that sign it
 * @param key its private key, without a password
 */
public record TlsFiles(Path certificate, Path key) {}
