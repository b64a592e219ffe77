package dev.berth.server.api;

import dev.berth.server.identity.Credentials;
import dev.berth.server.identity.LoginCodes;
import dev.berth.server.identity.SessionCookie;
import dev.berth.server.limit.Places;
import dev.berth.server.stream.Timing;

import java.util.function.Supplier;

/**
 * What the routes know of the door they stand behind.
 *
 * @param url where this server answers, known only once it does
 * @param publicUrl where people reach it
 */
public record Front(Supplier<String> url, Supplier<String> publicUrl, Keys keys, Live live) {

    /** What lets people in. */
    public record Keys(Credentials credentials, LoginCodes codes, SessionCookie cookie) {}

    /** What is held open. */
    public record Live(Places places, Timing timing) {}
}
