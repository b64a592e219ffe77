package dev.berth.checks;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;

import dev.berth.core.offenders.cycle.one.UsesTwo;
import dev.berth.core.offenders.cycle.two.UsesOne;

import java.util.Collection;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Packages that use each other, directly or through others, cannot be understood one by one. */
final class PackageCycles {
    private PackageCycles() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.productTogether(
                        "no package cycles",
                        classes().should(new HaveNoCycles()),
                        UsesTwo.class,
                        UsesOne.class));
    }

    private static final class HaveNoCycles extends ArchCondition<JavaClass> {
        private final Map<String, SortedSet<String>> uses = new TreeMap<>();

        HaveNoCycles() {
            super("be in packages without cycles");
        }

        @Override
        public void init(Collection<JavaClass> all) {
            uses.clear();
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            var own = type.getPackageName();
            var used = uses.computeIfAbsent(own, _ -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(use -> use.getTargetClass().getBaseComponentType().getPackageName())
                    .filter(name -> name.startsWith("dev.berth.") && !name.equals(own))
                    .forEach(used::add);
        }

        @Override
        public void finish(ConditionEvents events) {
            var reported = new TreeSet<String>();
            for (var name : uses.keySet()) {
                var cycle = cycleOf(name);
                if (cycle.size() > 1 && reported.addAll(cycle)) {
                    var packages = String.join(" <-> ", cycle);
                    events.add(violated(packages, packages + " use each other"));
                }
            }
        }

        /** All packages that the given one reaches and that reach it. */
        private SortedSet<String> cycleOf(String name) {
            var cycle = new TreeSet<String>();
            for (var other : reachableFrom(name)) {
                if (reachableFrom(other).contains(name)) {
                    cycle.add(other);
                }
            }
            return cycle;
        }

        private SortedSet<String> reachableFrom(String name) {
            var reached = new TreeSet<String>();
            var open = new TreeSet<>(uses.getOrDefault(name, new TreeSet<>()));
            while (!open.isEmpty()) {
                var next = open.removeFirst();
                if (reached.add(next)) {
                    open.addAll(uses.getOrDefault(next, new TreeSet<>()));
                }
            }
            return reached;
        }
    }
}
