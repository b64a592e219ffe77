package dev.berth.server.http;

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

/** A request that found its route. */
public final class Call {

    private final Request request;
    private final Map<String, String> pathValues;
    private final Optional<Caller> caller;
    private final Supplier<Optional<Caller>> known;
    private final Fields query;

    /**
     * @param caller nobody on a route for anyone
     * @param known who they are all the same, if they show it
     */
    public Call(
            Request request,
            RouteTable.Found.One found,
            Optional<Caller> caller,
            Supplier<Optional<Caller>> known)
            throws Refused {
        this.request = request;
        this.pathValues = found.values();
        this.caller = caller;
        this.known = known;
        this.query = query(request);
        // What a page's address says after ? is said to its scripts.
        if (found.route().kind() != Route.Kind.PAGE) {
            check(found.route().doc());
        }
    }

    /** Who asks; there is somebody on every route that not just anyone may use. */
    public Caller caller() {
        return caller.orElseThrow();
    }

    /** Who asks, also on a route for anyone; nobody where that is not known. */
    public Optional<Caller> known() {
        return caller.isPresent() ? caller : known.get();
    }

    /** Done when the call is over, however it ends. */
    public void afterwards(Runnable work) {
        Request.addCompletionListener(request, _ -> work.run());
    }

    /** Wants to know only what would come. */
    public boolean isHead() {
        return request.getMethod().equals("HEAD");
    }

    public <T> T path(Param<T> param) throws Refused {
        var text = pathValues.get(param.name());
        if (text == null) {
            throw new IllegalStateException("no such part of the path: " + param.name());
        }
        return param.read(text);
    }

    public <T> Optional<T> query(Param<T> param) throws Refused {
        var text = query.getValue(param.name());
        return text == null ? Optional.empty() : Optional.of(param.read(text));
    }

    public <T> Optional<T> header(Param<T> param) throws Refused {
        var text = request.getHeaders().get(param.name());
        return text == null ? Optional.empty() : Optional.of(param.read(text));
    }

    public Body body() throws Refused {
        return body(Bodies.LIMIT_BYTES);
    }

    /** A body that may hold a whole file. */
    public Body largeBody() throws Refused {
        return body(Bodies.LARGE_LIMIT_BYTES);
    }

    private Body body(int limit) throws Refused {
        var bytes = Bodies.read(request, limit);
        return new Body(new JsonFields(Bodies.object(bytes)), hash(bytes));
    }

    /** Several things that come together. */
    public Several several() throws Refused {
        var bytes = Bodies.read(request, Bodies.LIMIT_BYTES);
        return new Several(
                Bodies.objects(bytes).stream().map(JsonFields::new).toList(), hash(bytes));
    }

    /**
     * What came with a request.
     *
     * @param hash of the route and the bytes: equal for a request that is sent again
     */
    public record Body(JsonFields fields, String hash) {}

    /** The same of a list of objects. */
    public record Several(List<JsonFields> all, String hash) {
        public Several {
            all = List.copyOf(all);
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

    private static Fields query(Request request) throws Refused {
        try {
            return Request.extractQueryParameters(request);
        } catch (RuntimeException e) {
            // Jetty throws different ones for a bad escape, bad UTF-8 and too many parameters.
            throw Refused.malformed(
                    "query.unreadable",
                    "The part of the address after ? cannot be read: " + e.getMessage());
        }
    }

    private void check(Doc doc) throws Refused {
        var known = doc.queryNames();
        for (var field : query) {
            if (!known.contains(field.getName())) {
                throw new Refused(Nearest.unknown("parameter", field.getName(), known));
            }
            if (field.getValues().size() > 1) {
                throw new Refused(
                        Rejected.invalid(
                                "parameter.repeated",
                                field.getName(),
                                field.getName() + " is given more than once."));
            }
        }
    }
}
