package dev.berth.server.http;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** All routes there are. */
public record RouteTable(List<Route> routes) {

    public RouteTable {
        routes = List.copyOf(routes);
        var seen = new HashSet<String>();
        for (var route : routes) {
            if (!seen.add(route.method() + " " + route.path().text())) {
                throw new IllegalArgumentException("twice in the table: " + route.path().text());
            }
        }
    }

    /** What the table says of a method and a path. */
    public sealed interface Found {
        record One(Route route, Map<String, String> values) implements Found {}

        /** The path is known, but not with this method. */
        record OtherMethods(String allowed) implements Found {}

        record Nothing() implements Found {}
    }

    public Found find(String method, String path) {
        var segments = PathPattern.segments(path);
        var wanted = method.equals("HEAD") ? "GET" : method;
        var others = new TreeSet<String>();
        for (var route : routes) {
            var values = route.path().match(segments);
            if (values.isPresent()) {
                if (route.method().name().equals(wanted)) {
                    return new Found.One(route, values.get());
                }
                others.add(route.method().name());
                if (route.method() == Route.Method.GET) {
                    others.add("HEAD");
                }
            }
        }
        return others.isEmpty()
                ? new Found.Nothing()
                : new Found.OtherMethods(others.stream().collect(Collectors.joining(", ")));
    }
}
