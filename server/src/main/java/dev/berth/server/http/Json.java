package dev.berth.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.berth.wire.FileProblem;
import dev.berth.wire.Health;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

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
import java.util.List;
import java.util.Locale;

/** Both directions of JSON: records out, bounded trees in. */
public final class Json {

    /** Deeper than any body we take, and far from the end of the stack. */
    static final int DEEPEST = 32;

    private static final int LONGEST_NUMBER = 64;
    private static final int LONGEST_NAME = 1000;

    private static final JsonMapper WRITER =
            JsonMapper.builder()
                    .propertyNamingStrategy(new SnakeCase())
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Double.class, new Plain())
                                    .addSerializer(double.class, new Plain()))
                    // {"status":"ok"} and not a word more.
                    .withConfigOverride(
                            Health.class,
                            health ->
                                    health.setInclude(
                                            JsonInclude.Value.construct(
                                                    JsonInclude.Include.NON_NULL,
                                                    JsonInclude.Include.ALWAYS)))
                    .addMixIn(RunState.class, StartedRun.class)
                    .build();

    static final JsonMapper READER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEEPEST)
                                                    .maxNumberLength(LONGEST_NUMBER)
                                                    .maxNameLength(LONGEST_NAME)
                                                    .maxStringLength(Bodies.LARGE_LIMIT_BYTES)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .build();

    private Json() {}

    public static byte[] write(Object body) {
        return WRITER.writeValueAsBytes(body);
    }

    /**
     * What a file holds.
     *
     * @throws JacksonException it is not JSON
     */
    public static JsonNode tree(byte[] text) {
        return READER.readTree(text);
    }

    /** The same as a line of its own, so that a terminal's prompt comes after it. */
    public static byte[] line(Object body) {
        var text = write(body);
        var line = Arrays.copyOf(text, text.length + 1);
        line[text.length] = '\n';
        return line;
    }

    /**
     * A record component's name as it travels: {@code structureNAtoms} is {@code
     * structure_n_atoms}.
     */
    public static String wireName(String component) {
        var name = new StringBuilder();
        for (int i = 0; i < component.length(); i++) {
            char c = component.charAt(i);
            name.append(Character.isUpperCase(c) ? "_" : "").append(c);
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    /** Only the answer to a start speaks of blocks that were left out. */
    interface StartedRun {
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable List<FileProblem> problems();
    }

    /** People read them too: 3001763193600.25 and not 3.00176319360025E12. */
    private static final class Plain extends ValueSerializer<Double> {
        @Override
        public void serialize(Double value, JsonGenerator out, SerializationContext context) {
            out.writeNumber(BigDecimal.valueOf(value).toPlainString());
        }
    }

    /** Jackson's own snake case joins capitals that follow each other. */
    private static final class SnakeCase extends NamingBase {
        private static final long serialVersionUID = 1;

        @Override
        public String translate(String component) {
            return wireName(component);
        }
    }
}
