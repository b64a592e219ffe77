package dev.berth.http;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs.LogUnreadable;

/** One operation of the API: a method and a path. */
public record Route(
        Method method,
        PathPattern path,
        AccessLevel access,
        Kind kind,
        RouteDoc doc,
        Action action) {

    /** {@code HEAD} is answered wherever {@code GET} is. */
    public enum Method {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** Who calls the route: decides whether requests from other sites are rejected. */
    public enum Kind {
        /** Programs and the console's scripts. Requests from other sites are rejected. */
        API,
        /** People who follow a link from any site. A page must not reveal anything by itself. */
        PAGE
    }

    /** Handles a request. */
    @FunctionalInterface
    public interface Action {
        RouteResponse handle(RouteRequest call)
                throws RejectedException, StoreFailure, LogUnreadable;
    }

    public static Route get(PathPattern path, AccessLevel access, RouteDoc doc, Action action) {
        return new Route(Method.GET, path, access, Kind.API, doc, action);
    }

    public static Route post(PathPattern path, AccessLevel access, RouteDoc doc, Action action) {
        return new Route(Method.POST, path, access, Kind.API, doc, action);
    }

    public static Route put(PathPattern path, AccessLevel access, RouteDoc doc, Action action) {
        return new Route(Method.PUT, path, access, Kind.API, doc, action);
    }

    public static Route patch(PathPattern path, AccessLevel access, RouteDoc doc, Action action) {
        return new Route(Method.PATCH, path, access, Kind.API, doc, action);
    }

    public static Route delete(PathPattern path, AccessLevel access, RouteDoc doc, Action action) {
        return new Route(Method.DELETE, path, access, Kind.API, doc, action);
    }

    /** A page that needs no authentication. */
    public static Route page(PathPattern path, RouteDoc doc, Action action) {
        return new Route(Method.GET, path, AccessLevel.ANYONE, Kind.PAGE, doc, action);
    }

    public boolean allows(Caller caller) {
        return access.allows(caller);
    }

    /** The route's row in the documentation's access table. */
    public String name() {
        return method + " " + path.text();
    }
}
