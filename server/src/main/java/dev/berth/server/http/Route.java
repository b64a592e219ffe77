package dev.berth.server.http;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;

/** One thing that can be asked. */
public record Route(Method method, PathPattern path, Access access, Doc doc, Action action) {

    /** {@code HEAD} is answered wherever {@code GET} is. */
    public enum Method {
        GET,
        POST
    }

    /** What is done when it is asked. */
    @FunctionalInterface
    public interface Action {
        Answer answer(Call call) throws Refused, StoreFailure, LogUnreadable;
    }

    public static Route get(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.GET, path, access, doc, action);
    }

    public static Route post(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.POST, path, access, doc, action);
    }
}
