package dev.berth.json;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.berth.wire.Flat;
import dev.berth.wire.OmittedIfNull;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.util.NameTransformer;

/** Makes Jackson follow the annotations of {@code wire}. */
final class WireAnnotations extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1;

    @Override
    public @Nullable NameTransformer findUnwrappingNameTransformer(
            MapperConfig<?> config, AnnotatedMember member) {
        return member.hasAnnotation(Flat.class)
                ? NameTransformer.NOP
                : super.findUnwrappingNameTransformer(config, member);
    }

    @Override
    public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
        return annotated.hasAnnotation(OmittedIfNull.class)
                ? JsonInclude.Value.construct(
                        JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS)
                : super.findPropertyInclusion(config, annotated);
    }
}
