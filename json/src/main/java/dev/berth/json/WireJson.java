package dev.berth.json;

import dev.berth.wire.WireName;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies.NamingBase;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import java.math.BigDecimal;
import java.util.Arrays;

/** Writes records as JSON and reads JSON within limits. */
public final class WireJson {

    /** Deeper than any valid request, and far from a stack overflow. */
    static final int MAX_DEPTH = 32;

    /** Longer than any text in a request body or in a file of the home. */
    private static final int MAX_TEXT_LENGTH = 12 << 20;

    private static final int MAX_NUMBER_LENGTH = 64;
    private static final int MAX_NAME_LENGTH = 1000;

    private static final JsonMapper WRITER =
            JsonMapper.builder()
                    .propertyNamingStrategy(new SnakeCase())
                    .annotationIntrospector(new WireAnnotations())
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Double.class, new Plain())
                                    .addSerializer(double.class, new Plain()))
                    .build();

    public static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_DEPTH)
                                                    .maxNumberLength(MAX_NUMBER_LENGTH)
                                                    .maxNameLength(MAX_NAME_LENGTH)
                                                    .maxStringLength(MAX_TEXT_LENGTH)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .build();

    private WireJson() {}

    public static byte[] write(Object body) {
        return WRITER.writeValueAsBytes(body);
    }

    /**
     * Reads the content of a file.
     *
     * @throws JacksonException it is not JSON
     */
    public static JsonNode readTree(byte[] text) {
        return MAPPER.readTree(text);
    }

    /** The JSON followed by a newline, so that a shell prompt starts on its own line. */
    public static byte[] writeLine(Object body) {
        var text = write(body);
        var line = Arrays.copyOf(text, text.length + 1);
        line[text.length] = '\n';
        return line;
    }

    /**
     * The JSON name of a record component: {@code structureNAtoms} is {@code structure_n_atoms}.
     */
    public static String wireName(String component) {
        return WireName.of(component);
    }

    /** Plain notation, for people: 3001763193600.25 instead of 3.00176319360025E12. */
    private static final class Plain extends ValueSerializer<Double> {
        @Override
        public void serialize(Double value, JsonGenerator out, SerializationContext context) {
            out.writeNumber(BigDecimal.valueOf(value).toPlainString());
        }
    }

    /** Jackson's own snake case joins consecutive capitals. */
    private static final class SnakeCase extends NamingBase {
        private static final long serialVersionUID = 1;

        @Override
        public String translate(String component) {
            return wireName(component);
        }
    }
}
