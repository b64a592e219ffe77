package dev.berth.http;

import dev.berth.core.Rejected;
import dev.berth.json.WireJson;

import org.eclipse.jetty.server.Request;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads request bodies up to a size limit. */
final class BodyReader {

    /** Fits a script of 1 MiB even when many of its characters are escaped. */
    static final int MAX_BYTES = 4 << 20;

    /** Fits a command file of 10 MB, unless it consists of short lines and quotes throughout. */
    static final int MAX_LARGE_BYTES = 12 << 20;

    private BodyReader() {}

    static byte[] read(Request request, int limit) throws RejectedException {
        if (request.getLength() > limit) {
            throw tooLarge(limit);
        }
        try {
            var in = Request.asInputStream(request);
            var bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw tooLarge(limit);
            }
            return bytes;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The body as one JSON object; a missing body is an empty object. */
    static ObjectNode object(byte[] bytes) throws RejectedException {
        var text = text(bytes);
        if (text.isBlank()) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (!(tree(text) instanceof ObjectNode object)) {
            throw RejectedException.malformed("json.no_object");
        }
        return object;
    }

    static List<ObjectNode> objects(byte[] bytes) throws RejectedException {
        if (!(tree(text(bytes)) instanceof ArrayNode list)) {
            throw RejectedException.malformed("json.no_list");
        }
        var objects = new ArrayList<ObjectNode>();
        for (var item : list) {
            if (!(item instanceof ObjectNode object)) {
                throw RejectedException.invalid("json.no_object", "[" + objects.size() + "]");
            }
            objects.add(object);
        }
        return objects;
    }

    private static JsonNode tree(String text) throws RejectedException {
        try {
            return WireJson.MAPPER.readTree(text);
        } catch (JacksonException e) {
            throw notJson(e);
        }
    }

    /** Strict decoding: Jackson alone accepts overlong forms and lone surrogates. */
    private static String text(byte[] bytes) throws RejectedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            throw RejectedException.malformed("body.not_utf8");
        }
    }

    private static RejectedException notJson(JacksonException e) {
        var where = e.getLocation();
        var problem = Rejected.malformed("json.broken").with("why", JsonProblem.of(e));
        return new RejectedException(
                where == null
                        ? problem
                        : problem.with("line", where.getLineNr())
                                .with("column", where.getColumnNr()));
    }

    private static RejectedException tooLarge(int limit) {
        return new RejectedException(
                RouteResponse.problem(
                        413,
                        "body.too_large",
                        Map.of(
                                "max",
                                Long.toString(limit),
                                "max_mib",
                                Long.toString(limit >> 20))));
    }

    private static RejectedException unreadable(IOException e) {
        return new RejectedException(
                Rejected.malformed("body.unreadable").with("why", String.valueOf(e.getMessage())));
    }
}
