package dev.berth.http.openapi;

import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteResponse;

import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Serves the OpenAPI description of all routes, including itself. */
public final class OpenApiRoute {

    private static final PathPattern PATH = PathPattern.of("/api/openapi.json");
    private static final RouteDoc DOC =
            RouteDoc.of("This description, as OpenAPI 3.1")
                    .withResponse(200, new RouteDoc.BodyType.Anything());

    private final List<Route> routes;
    private final String version;
    private final Schemas schemas = new Schemas();
    private @Nullable Map<String, Object> generated;

    private OpenApiRoute(List<Route> others, String version) {
        this.routes = new ArrayList<>(others);
        this.version = version;
        routes.add(route());
    }

    public static Route of(List<Route> others, String version) {
        return new OpenApiRoute(others, version).route();
    }

    private Route route() {
        return Route.get(PATH, AccessLevel.SERVED, DOC, _ -> RouteResponse.ok(description()));
    }

    /** Generated for the first request: few servers get one, and it delays their start. */
    private synchronized Map<String, Object> description() {
        if (generated == null) {
            generated = generate();
        }
        return generated;
    }

    private Map<String, Object> generate() {
        var paths = new LinkedHashMap<String, Map<String, Object>>();
        for (var route : routes) {
            if (route.kind() == Route.Kind.PAGE) {
                continue;
            }
            paths.computeIfAbsent(route.path().text(), _ -> new LinkedHashMap<>())
                    .put(route.method().name().toLowerCase(Locale.ROOT), operation(route));
        }
        var description = new LinkedHashMap<String, Object>();
        description.put("openapi", "3.1.0");
        description.put(
                "info",
                Map.of(
                        "title",
                        "Berth",
                        "version",
                        version,
                        "description",
                        "Every error is a Problem. Times are ISO-8601 in UTC, what is not known is"
                                + " null.",
                        "license",
                        Map.of("name", "Apache-2.0", "identifier", "Apache-2.0")));
        description.put("paths", paths);
        description.put("components", Map.of("schemas", schemas.named()));
        return description;
    }

    private Map<String, Object> operation(Route route) {
        var doc = route.doc();
        var operation = new LinkedHashMap<String, Object>();
        operation.put("operationId", operationId(route));
        operation.put("summary", doc.summary());
        operation.put("parameters", parameters(route));
        doc.body()
                .ifPresent(
                        shape ->
                                operation.put(
                                        "requestBody",
                                        Map.of(
                                                "required",
                                                true,
                                                "content",
                                                json(requestSchema(shape)))));
        operation.put("responses", responses(route));
        return operation;
    }

    private static String operationId(Route route) {
        var words =
                route.path().text().replaceAll("[^A-Za-z]+", "_").replaceAll("^_(api_)?|_$", "");
        return route.method().name().toLowerCase(Locale.ROOT) + "_" + words;
    }

    private static List<Object> parameters(Route route) {
        var parameters = new ArrayList<>();
        route.path().params().forEach(param -> parameters.add(parameter(param, "path")));
        route.doc().query().forEach(param -> parameters.add(parameter(param, "query")));
        route.doc().headers().forEach(param -> parameters.add(parameter(param, "header")));
        return parameters;
    }

    private static Map<String, Object> parameter(Param<?> param, String place) {
        var parameter = new LinkedHashMap<String, Object>();
        parameter.put("name", param.name());
        parameter.put("in", place);
        parameter.put("required", place.equals("path"));
        parameter.put("description", param.description());
        parameter.put("schema", param.schema());
        return parameter;
    }

    private Map<String, Object> responses(Route route) {
        var replies = new TreeMap<>(route.doc().responses());
        if (route.access() != AccessLevel.ANYONE) {
            replies.putAll(RouteDoc.of("").withErrors(401, 403, 429).responses());
        }
        var responses = new LinkedHashMap<String, Object>();
        replies.forEach(
                (status, shape) ->
                        responses.put(
                                Integer.toString(status),
                                Map.of(
                                        "description",
                                        HttpStatus.getMessage(status),
                                        "content",
                                        content(shape))));
        return responses;
    }

    private Map<String, Object> content(RouteDoc.BodyType shape) {
        return switch (shape) {
            case RouteDoc.BodyType.Events _ ->
                    Map.of("text/event-stream", Map.of("schema", answerSchema(shape)));
            case RouteDoc.BodyType.Text _ ->
                    Map.of("text/plain", Map.of("schema", answerSchema(shape)));
            case RouteDoc.BodyType.One _, RouteDoc.BodyType.Many _, RouteDoc.BodyType.Anything _ ->
                    json(answerSchema(shape));
        };
    }

    private Map<String, Object> requestSchema(RouteDoc.BodyType shape) {
        return schema(shape, schemas::request);
    }

    private Map<String, Object> answerSchema(RouteDoc.BodyType shape) {
        return schema(shape, schemas::answer);
    }

    private static Map<String, Object> schema(
            RouteDoc.BodyType shape, Function<Class<? extends Record>, Map<String, Object>> of) {
        return switch (shape) {
            case RouteDoc.BodyType.One(var type) -> of.apply(type);
            case RouteDoc.BodyType.Many(var type) ->
                    Map.of("type", "array", "items", of.apply(type));
            case RouteDoc.BodyType.Events _, RouteDoc.BodyType.Text _ -> Map.of("type", "string");
            case RouteDoc.BodyType.Anything _ -> Map.of("type", "object");
        };
    }

    private static Map<String, Object> json(Map<String, Object> schema) {
        return Map.of("application/json", Map.of("schema", schema));
    }
}
