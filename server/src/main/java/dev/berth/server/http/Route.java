package dev.berth.server.http;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;

/** One thing that can be asked. */
public record Route(
        Method method, PathPattern path, Access access, Kind kind, Doc doc, Action action) {

    /** {@code HEAD} is answered wherever {@code GET} is. */
    public enum Method {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** Whom it is made for. */
    public enum Kind {
        /** Programs, and the console's own scripts: other sites are kept out. */
        API,
        /** People who follow a link, from wherever; it must give nothing away by itself. */
        PAGE
    }

    /** What is done when it is asked. */
    @FunctionalInterface
    public interface Action {
        Answer answer(Call call) throws Refused, StoreFailure, LogUnreadable;
    }

    public static Route get(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.GET, path, access, Kind.API, doc, action);
    }

    public static Route post(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.POST, path, access, Kind.API, doc, action);
    }

    public static Route put(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.PUT, path, access, Kind.API, doc, action);
    }

    public static Route patch(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.PATCH, path, access, Kind.API, doc, action);
    }

    public static Route delete(PathPattern path, Access access, Doc doc, Action action) {
        return new Route(Method.DELETE, path, access, Kind.API, doc, action);
    }

    /** A page that anyone may open. */
    public static Route page(PathPattern path, Doc doc, Action action) {
        return new Route(Method.GET, path, Access.ANYONE, Kind.PAGE, doc, action);
    }

    /** Whether this caller may use it. */
    public boolean isOpenTo(Caller caller) {
        return access.allows(caller);
    }

    /** Its row in the table of who may do what. */
    public String name() {
        return method + " " + path.text();
    }
}
