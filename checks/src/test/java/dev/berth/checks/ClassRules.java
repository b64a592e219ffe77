package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.ConditionEvent.createMessage;
import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;

import dev.berth.core.offenders.GetPrefixed;
import dev.berth.core.offenders.SixParameters;
import dev.berth.core.offenders.TaskManager;
import dev.berth.core.offenders.ThirteenComponents;
import dev.berth.core.offenders.unmarked.NotNullMarked;
import dev.berth.wire.offenders.TwentyOneComponents;

import org.jspecify.annotations.NullMarked;

import java.util.stream.Stream;

/** Names and sizes of classes. */
final class ClassRules {
    private static final int MOST_PARAMETERS = 5;
    private static final int MOST_COMPONENTS = 12;
    private static final int MOST_COMPONENTS_IN_WIRE = 20;

    private ClassRules() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.everywhere(
                        "names are domain words, not Manager, Helper, Util, Impl …",
                        noClasses().should().haveNameMatching(EMPTY_WORDS),
                        TaskManager.class),
                Rule.product(
                        "records have no get prefix",
                        methods()
                                .that()
                                .areDeclaredInClassesThat(
                                        describe("are records", JavaClass::isRecord))
                                .should()
                                .haveNameNotMatching("get\\p{Lu}.*"),
                        GetPrefixed.class),
                Rule.product(
                        "at most five parameters, else a record",
                        codeUnits().should(HAVE_FEW_PARAMETERS),
                        SixParameters.class.getDeclaredClasses()),
                Rule.product(
                        "a record has at most 12 components, in wire 20",
                        classes().should(HAVE_FEW_COMPONENTS),
                        ThirteenComponents.class,
                        TwentyOneComponents.class),
                Rule.product(
                        "every package says @NullMarked",
                        classes().should(LIVE_IN_A_MARKED_PACKAGE),
                        NotNullMarked.class));
    }

    private static final ArchCondition<JavaClass> HAVE_FEW_COMPONENTS =
            new ArchCondition<>("have few record components") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    int most =
                            type.getPackageName().startsWith("dev.berth.wire")
                                    ? MOST_COMPONENTS_IN_WIRE
                                    : MOST_COMPONENTS;
                    long count = components(type);
                    if (type.isRecord() && count > most) {
                        events.add(
                                violated(
                                        type, createMessage(type, "has " + count + " components")));
                    }
                }
            };

    private static long components(JavaClass type) {
        return type.getFields().stream()
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .count();
    }

    private static final String EMPTY_WORDS =
            ".*(Manager|Helper|Utils?|Utilities|Impl|Common|Processor)(\\$.*)?";

    private static final ArchCondition<JavaCodeUnit> HAVE_FEW_PARAMETERS =
            new ArchCondition<>("have at most " + MOST_PARAMETERS + " parameters") {
                @Override
                public void check(JavaCodeUnit unit, ConditionEvents events) {
                    if (isWritten(unit) && written(unit) > MOST_PARAMETERS) {
                        events.add(
                                violated(
                                        unit,
                                        createMessage(
                                                unit, "has " + written(unit) + " parameters")));
                    }
                }
            };

    /**
     * Excludes code units whose parameters nobody writes one by one: lambdas have their captured
     * variables as parameters, and a record has its components.
     */
    private static boolean isWritten(JavaCodeUnit unit) {
        var owner = unit.getOwner();
        var isRecordConstructor = owner.isRecord() && unit instanceof JavaConstructor;
        var isCapturing = owner.isAnonymousClass() || owner.isLocalClass();
        return !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !isRecordConstructor
                && !isCapturing;
    }

    /**
     * Without the parameters that the compiler adds: name and ordinal of an enum constant, the
     * outer instance of an inner class.
     */
    private static int written(JavaCodeUnit unit) {
        var all = unit.getRawParameterTypes().size();
        if (!(unit instanceof JavaConstructor)) {
            return all;
        }
        var owner = unit.getOwner();
        var isInner = owner.isInnerClass() && !owner.getModifiers().contains(JavaModifier.STATIC);
        return all - (owner.isEnum() ? 2 : isInner ? 1 : 0);
    }

    private static final ArchCondition<JavaClass> LIVE_IN_A_MARKED_PACKAGE =
            new ArchCondition<>("live in a package with @NullMarked in its package-info") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                        events.add(
                                violated(
                                        type, createMessage(type, "lives in an unmarked package")));
                    }
                }
            };
}
