package dev.berth.server.api.access;

import dev.berth.identity.LoginLimit;
import dev.berth.port.PasswordCheck;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How logins by password are checked and limited.
 *
 * @param check empty if nobody may log in by password
 * @param isBehindProxy a proxy with TLS is in front of the server
 * @param nanos a monotonic clock
 */
public record PasswordLogins(
        Optional<PasswordCheck> check,
        LoginLimit limit,
        boolean isBehindProxy,
        LongSupplier nanos) {

    /** Nobody logs in by password. */
    public static final PasswordLogins OFF =
            new PasswordLogins(
                    Optional.empty(), new LoginLimit(System::nanoTime), false, System::nanoTime);
}
