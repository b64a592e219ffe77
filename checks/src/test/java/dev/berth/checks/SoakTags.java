package dev.berth.checks;

import static com.tngtech.archunit.lang.ConditionEvent.createMessage;
import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;

import dev.berth.testkit.offenders.UnknownSoakTag;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Tags;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A soak test with a tag that the build does not exclude would run for hours in every build. */
final class SoakTags {
    private SoakTags() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.everywhere(
                        "every soak tag is listed in the build",
                        classes().should(CARRY_KNOWN_TAGS),
                        UnknownSoakTag.class.getDeclaredClasses()));
    }

    private static final Set<String> KNOWN =
            Arrays.stream(System.getProperty("berth.soak.tags", "").split("\\|"))
                    .map(String::strip)
                    .collect(Collectors.toUnmodifiableSet());

    private static final ArchCondition<JavaClass> CARRY_KNOWN_TAGS =
            new ArchCondition<>("carry only soak tags that the build lists") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    tagsOn(type)
                            .filter(tag -> tag.startsWith("soak") && !KNOWN.contains(tag))
                            .forEach(
                                    tag ->
                                            events.add(
                                                    violated(
                                                            type,
                                                            createMessage(
                                                                    type, "carries " + tag))));
                }
            };

    private static Stream<String> tagsOn(JavaClass type) {
        var onType =
                Stream.concat(
                        type.tryGetAnnotationOfType(Tag.class).stream(),
                        type.tryGetAnnotationOfType(Tags.class).stream()
                                .flatMap(tags -> Arrays.stream(tags.value())));
        return Stream.concat(onType, type.getMembers().stream().flatMap(SoakTags::tagsOn))
                .map(Tag::value);
    }

    private static Stream<Tag> tagsOn(JavaMember member) {
        return Stream.concat(
                member.tryGetAnnotationOfType(Tag.class).stream(),
                member.tryGetAnnotationOfType(Tags.class).stream()
                        .flatMap(tags -> Arrays.stream(tags.value())));
    }
}
