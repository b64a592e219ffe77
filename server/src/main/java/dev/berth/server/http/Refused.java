package dev.berth.server.http;

import dev.berth.core.Rejected;
import dev.berth.core.Rejected.Kind;
import dev.berth.wire.Problem;

import java.util.Map;

/** Brings a refusal from where it is found, deep in a body, to the one place that answers. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Answer answer;

    public Refused(Answer answer) {
        // An expected outcome: nobody reads its stack.
        super("answered " + answer.status(), null, false, false);
        this.answer = answer;
    }

    public Refused(Rejected why) {
        this(Answer.refusing(why));
    }

    public static Refused invalid(String code, String field, String detail) {
        return new Refused(Rejected.invalid(code, field, detail));
    }

    public static Refused malformed(String code, String detail) {
        return new Refused(new Rejected(Kind.MALFORMED, code, "", detail, Map.of()));
    }

    /** The same of one among several things that came together. */
    public Refused within(String place) {
        if (!(answer.content() instanceof Content.Json(Problem problem))) {
            return this;
        }
        var field = problem.field() == null ? place : place + "." + problem.field();
        var placed = new Problem(problem.detail(), problem.code(), field, problem.params());
        return new Refused(new Answer(answer.status(), answer.headers(), new Content.Json(placed)));
    }

    public Answer answer() {
        return answer;
    }
}
