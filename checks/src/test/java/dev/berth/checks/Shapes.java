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
import dev.berth.core.offenders.TakesTooMuch;
import dev.berth.core.offenders.TaskManager;
import dev.berth.core.offenders.unmarked.NotNullMarked;

import org.jspecify.annotations.NullMarked;

import java.util.stream.Stream;

/** What classes are called and how they are cut. */
final class Shapes {
    private static final int MOST_PARAMETERS = 5;

    private Shapes() {}

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
                        TakesTooMuch.class.getDeclaredClasses()),
                Rule.product(
                        "every package says @NullMarked",
                        classes().should(LIVE_IN_A_MARKED_PACKAGE),
                        NotNullMarked.class));
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
     * Lambdas take what they capture as parameters, records their components: nobody calls those.
     */
    private static boolean isWritten(JavaCodeUnit unit) {
        var owner = unit.getOwner();
        var isRecordConstructor = owner.isRecord() && unit instanceof JavaConstructor;
        var isCapturing = owner.isAnonymousClass() || owner.isLocalClass();
        return !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !isRecordConstructor
                && !isCapturing;
    }

    /** The compiler gives an enum's constructor a name and a number, an inner class's its outer. */
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
