package dev.berth.checks;

import com.tngtech.archunit.lang.ArchRule;

import java.util.List;

/** One convention about classes: where it holds, and the classes that break it. */
record Rule(String name, Scope scope, ArchRule arch, List<Class<?>> offenders) {

    /** Which classes a rule is about. */
    enum Scope {
        /** What modules ship, the test library included. */
        PRODUCT,
        /** The product and the tests of every module. */
        PRODUCT_AND_TESTS
    }

    Rule {
        offenders = List.copyOf(offenders);
        // A module may have no classes yet.
        arch = arch.as(name).allowEmptyShould(true);
    }

    static Rule product(String name, ArchRule arch, Class<?>... offenders) {
        return new Rule(name, Scope.PRODUCT, arch, List.of(offenders));
    }

    static Rule everywhere(String name, ArchRule arch, Class<?>... offenders) {
        return new Rule(name, Scope.PRODUCT_AND_TESTS, arch, List.of(offenders));
    }

    @Override
    public String toString() {
        return name;
    }
}
