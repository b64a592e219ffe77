package dev.berth.http;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

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

    /** The result of a lookup by method and path. */
    public sealed interface Lookup {
        record Match(Route route, Map<String, String> values) implements Lookup {}

        /** The path exists, but not with this method. */
        record OtherMethods(String allowed) implements Lookup {}

        record Nothing() implements Lookup {}
    }

    public Lookup find(String method, String path) {
        var segments = PathPattern.segments(path);
        var wanted = method.equals("HEAD") ? "GET" : method;
        var others = new TreeSet<String>();
        for (var route : routes) {
            var values = route.path().match(segments);
            if (values.isPresent()) {
                if (route.method().name().equals(wanted)) {
                    return new Lookup.Match(route, values.get());
                }
                others.add(route.method().name());
                if (route.method() == Route.Method.GET) {
                    others.add("HEAD");
                }
            }
        }
        return others.isEmpty()
                ? new Lookup.Nothing()
                : new Lookup.OtherMethods(others.stream().collect(Collectors.joining(", ")));
    }
}
