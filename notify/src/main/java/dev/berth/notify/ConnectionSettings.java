package dev.berth.notify;

import java.security.NoSuchAlgorithmException;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/**
 * Time limits and trust for connections.
 *
 * @param trust the trusted certificates; empty: those of the JVM, which are read when needed
 */
public record ConnectionSettings(DeliveryTiming timing, Optional<SSLContext> trust) {

    public static ConnectionSettings usual() {
        return new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.empty());
    }

    SSLContext tls() {
        return trust.orElseGet(ConnectionSettings::ofTheJvm);
    }

    private static SSLContext ofTheJvm() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
