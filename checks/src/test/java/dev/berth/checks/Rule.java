package dev.berth.checks;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.lang.ArchRule;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * A rule about compiled classes.
 *
 * @param offenders each is a group of classes that together break the rule
 */
record Rule(String name, Scope scope, ArchRule arch, List<List<Class<?>>> offenders) {

    /** Which classes a rule is about. */
    enum Scope {
        /** The main classes of all modules, the test library included. */
        PRODUCT,
        /** The product and the tests of every module. */
        PRODUCT_AND_TESTS
    }

    Rule {
        offenders = List.copyOf(offenders);
        // A module may have no classes yet.
        arch = arch.as(name).allowEmptyShould(true);
    }

    /** A rule for the product, which each offender breaks alone. */
    static Rule product(String name, ArchRule arch, Class<?>... offenders) {
        return new Rule(name, Scope.PRODUCT, arch, eachAlone(offenders));
    }

    /** A rule for the product and all tests, which each offender breaks alone. */
    static Rule everywhere(String name, ArchRule arch, Class<?>... offenders) {
        return new Rule(name, Scope.PRODUCT_AND_TESTS, arch, eachAlone(offenders));
    }

    /** A rule for the product, which the offenders break together. */
    static Rule productTogether(String name, ArchRule arch, Class<?>... offenders) {
        return new Rule(name, Scope.PRODUCT, arch, List.of(List.of(offenders)));
    }

    private static List<List<Class<?>>> eachAlone(Class<?>... offenders) {
        return Arrays.stream(offenders).<List<Class<?>>>map(List::of).toList();
    }

    Collection<Violation> violations(JavaClasses classes) {
        var found = new TreeSet<Violation>(Comparator.comparing(Violation::toString));
        arch.evaluate(classes)
                .handleViolations(
                        (Collection<Object> places, String message) ->
                                places.forEach(
                                        place -> found.add(new Violation(where(place), message))));
        return found;
    }

    private static String where(Object place) {
        return switch (place) {
            case JavaClass type -> type.getName();
            case JavaMember member -> member.getFullName();
            case Dependency use -> use.getOriginClass().getName();
            case JavaAccess<?> access -> access.getOriginOwner().getName();
            default -> place.toString();
        };
    }

    @Override
    public String toString() {
        return name;
    }
}
