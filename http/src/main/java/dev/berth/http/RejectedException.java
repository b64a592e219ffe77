package dev.berth.http;

import dev.berth.core.Rejected;
import dev.berth.wire.Problem;

/**
 * Carries a rejection from deep inside request parsing to the one place that sends the response.
 */
public final class RejectedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient RouteResponse response;

    public RejectedException(RouteResponse answer) {
        // An expected outcome, so without a stack trace.
        super("answered " + answer.status(), null, false, false);
        this.response = answer;
    }

    public RejectedException(Rejected why) {
        this(RouteResponse.rejection(why));
    }

    public static RejectedException invalid(String code, String field) {
        return new RejectedException(Rejected.invalid(code, field));
    }

    public static RejectedException malformed(String code) {
        return new RejectedException(Rejected.malformed(code));
    }

    /**
     * The same rejection with its field placed inside a list or object, such as {@code
     * tasks[3].name}.
     */
    public RejectedException inside(String place) {
        if (!(response.content() instanceof ResponseBody.Json(Problem problem))) {
            return this;
        }
        var field = problem.field() == null ? place : place + "." + problem.field();
        var placed = new Problem(problem.detail(), problem.code(), field, problem.params());
        return new RejectedException(
                new RouteResponse(
                        response.status(), response.headers(), new ResponseBody.Json(placed)));
    }

    public RouteResponse response() {
        return response;
    }
}
