package dev.berth.identity;

import dev.berth.http.Caller;
import dev.berth.http.RouteResponse;

/** The result of authentication. */
public sealed interface AuthResult {

    record Authenticated(Caller caller) implements AuthResult {}

    /** Not authenticated or not served; the response gives the reason. */
    record NotServed(RouteResponse answer) implements AuthResult {}
}
