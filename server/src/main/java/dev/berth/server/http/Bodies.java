package dev.berth.server.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads request bodies within bounds. */
final class Bodies {

    /** A script of 1 MiB fits even when many of its characters are escaped. */
    static final int LIMIT_BYTES = 4 << 20;

    /** A command file of 10 MB fits, unless it is short lines and quotes throughout. */
    static final int LARGE_LIMIT_BYTES = 12 << 20;

    /**
     * So much of a body that is too large is still taken, so that its sender gets to read why it is
     * refused.
     */
    private static final int DRAIN_BYTES = 32 << 20;

    private Bodies() {}

    static byte[] read(Request request, int limit) throws Refused {
        if (request.getLength() > limit) {
            throw tooLarge(request, limit);
        }
        try {
            var in = Request.asInputStream(request);
            var bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw tooLarge(request, limit);
            }
            return bytes;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The body as one JSON object; no body at all is an empty one. */
    static ObjectNode object(byte[] bytes) throws Refused {
        var text = text(bytes);
        if (text.isBlank()) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (!(tree(text) instanceof ObjectNode object)) {
            throw Refused.malformed(
                    "json.no_object", "The body must be a JSON object, like {\"name\": …}.");
        }
        return object;
    }

    /** The body as a list of JSON objects. */
    static List<ObjectNode> objects(byte[] bytes) throws Refused {
        if (!(tree(text(bytes)) instanceof ArrayNode list)) {
            throw Refused.malformed(
                    "json.no_list",
                    "The body must be a list of JSON objects, like [{\"name\": …}].");
        }
        var objects = new ArrayList<ObjectNode>();
        for (var item : list) {
            if (!(item instanceof ObjectNode object)) {
                throw Refused.invalid(
                        "json.no_object",
                        "[" + objects.size() + "]",
                        "Each item of the list must be a JSON object, like {\"name\": …}.");
            }
            objects.add(object);
        }
        return objects;
    }

    private static JsonNode tree(String text) throws Refused {
        try {
            return Json.READER.readTree(text);
        } catch (JacksonException e) {
            throw notJson(e);
        }
    }

    /** Strictly: Jackson alone would let overlong forms and halves of characters pass. */
    private static String text(byte[] bytes) throws Refused {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            throw Refused.malformed("body.not_utf8", "The body is not valid UTF-8.");
        }
    }

    private static Refused notJson(JacksonException e) {
        var where = e.getLocation();
        var place =
                where == null
                        ? ""
                        : " (line " + where.getLineNr() + ", column " + where.getColumnNr() + ")";
        var why = String.valueOf(e.getOriginalMessage());
        return Refused.malformed(
                "json.broken",
                "The body is not valid JSON"
                        + place
                        + ": "
                        + (why.length() > 200 ? why.substring(0, 200) + "…" : why));
    }

    private static Refused tooLarge(Request request, int limit) {
        if (!request.getHeaders().contains(HttpHeader.EXPECT)
                && request.getLength() <= DRAIN_BYTES) {
            drain(request);
        }
        return new Refused(
                Answer.problem(
                        413,
                        "body.too_large",
                        "The body is larger than "
                                + (limit >> 20)
                                + " MiB ("
                                + limit
                                + " bytes). A command may have 1 MiB: put more into a file and run"
                                + " that."));
    }

    private static void drain(Request request) {
        try {
            InputStream in = Request.asInputStream(request);
            in.skip(DRAIN_BYTES);
        } catch (IOException _) {
            // The sender has gone: nobody is left to be told.
        }
    }

    private static Refused unreadable(IOException e) {
        return Refused.malformed(
                "body.unreadable", "The body ended early or came too slowly: " + e.getMessage());
    }
}
