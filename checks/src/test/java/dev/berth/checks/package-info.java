/**
 * The conventions of this project, each as a test.
 *
 * <p>A <em>rule</em> checks compiled classes, a <em>source rule</em> checks source files. Every
 * rule has at least one <em>offender</em> that it must catch, so that a rule that cannot fail is
 * noticed. Offenders are in packages named {@code dev.berth.MODULE.offenders} and not part of the
 * product.
 */
package dev.berth.checks;
