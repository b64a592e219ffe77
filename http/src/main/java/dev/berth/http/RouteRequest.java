package dev.berth.http;

import dev.berth.core.NearestName;
import dev.berth.core.Rejected;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A request whose route is known. */
public final class RouteRequest {

    private final Request request;
    private final Map<String, String> pathValues;
    private final Optional<Caller> caller;
    private final Supplier<Optional<Caller>> callerIfKnown;
    private final Fields query;

    /**
     * @param caller empty on a route that needs no authentication
     * @param known looks up the caller on such a route, if it is authenticated
     */
    public RouteRequest(
            Request request,
            RouteTable.Lookup.Match found,
            Optional<Caller> caller,
            Supplier<Optional<Caller>> known)
            throws RejectedException {
        this.request = request;
        this.pathValues = found.values();
        this.caller = caller;
        this.callerIfKnown = known;
        this.query = query(request);
        // The query of a page's URL is for the page's scripts.
        if (found.route().kind() != Route.Kind.PAGE) {
            check(found.route().doc());
        }
    }

    /** The caller; present on every route that needs authentication. */
    public Caller caller() {
        return caller.orElseThrow();
    }

    /** The caller if it is authenticated, on any route. */
    public Optional<Caller> callerIfKnown() {
        return caller.isPresent() ? caller : callerIfKnown.get();
    }

    /** Runs the work when the request has completed, successfully or not. */
    public void onCompletion(Runnable work) {
        Request.addCompletionListener(request, _ -> work.run());
    }

    /** Where the request comes from. */
    public ClientConnection connection() {
        return ClientConnection.of(request);
    }

    public boolean isHead() {
        return request.getMethod().equals("HEAD");
    }

    public <T> T path(Param<T> param) throws RejectedException {
        var text = pathValues.get(param.name());
        if (text == null) {
            throw new IllegalStateException("no such part of the path: " + param.name());
        }
        return param.read(text);
    }

    public <T> Optional<T> query(Param<T> param) throws RejectedException {
        var text = query.getValue(param.name());
        return text == null ? Optional.empty() : Optional.of(param.read(text));
    }

    public <T> Optional<T> header(Param<T> param) throws RejectedException {
        var text = request.getHeaders().get(param.name());
        return text == null ? Optional.empty() : Optional.of(param.read(text));
    }

    public Body body() throws RejectedException {
        return body(BodyReader.MAX_BYTES);
    }

    /** A body that may hold a whole file. */
    public Body largeBody() throws RejectedException {
        return body(BodyReader.MAX_LARGE_BYTES);
    }

    private Body body(int limit) throws RejectedException {
        var bytes = BodyReader.read(request, limit);
        return new Body(new JsonFields(BodyReader.object(bytes)), hash(bytes));
    }

    /** A body that is a list of objects. */
    public BodyList bodyList() throws RejectedException {
        var bytes = BodyReader.read(request, BodyReader.MAX_BYTES);
        return new BodyList(
                BodyReader.objects(bytes).stream().map(JsonFields::new).toList(), hash(bytes));
    }

    /**
     * A request body.
     *
     * @param hash of the route and the bytes: equal for a repeated request
     */
    public record Body(JsonFields fields, String hash) {}

    /** A request body that is a list. */
    public record BodyList(List<JsonFields> items, String hash) {
        public BodyList {
            items = List.copyOf(items);
        }
    }

    private String hash(byte[] bytes) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(
                    (request.getMethod() + " " + pathValues + "\n")
                            .getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static Fields query(Request request) throws RejectedException {
        try {
            return Request.extractQueryParameters(request);
        } catch (RuntimeException e) {
            // Jetty throws different exceptions for a bad escape, bad UTF-8 and too many
            // parameters.
            throw new RejectedException(
                    Rejected.malformed("query.unreadable")
                            .with("why", String.valueOf(e.getMessage())));
        }
    }

    private void check(RouteDoc doc) throws RejectedException {
        var known = doc.queryNames();
        for (var field : query) {
            if (!known.contains(field.getName())) {
                throw new RejectedException(
                        NearestName.rejectUnknown("parameter", field.getName(), known));
            }
            if (field.getValues().size() > 1) {
                throw new RejectedException(
                        Rejected.invalid("parameter.repeated", field.getName()));
            }
        }
    }
}
