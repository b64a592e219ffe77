/**
 * The conventions of this project, each as a test.
 *
 * <p>A <em>rule</em> looks at compiled classes, a <em>source rule</em> at the text of a file. Every
 * rule has at least one <em>offender</em> that it must catch, so a rule that cannot fail is
 * noticed. Offenders lie in packages named {@code dev.berth.MODULE.offenders} and are no part of
 * the product.
 */
package dev.berth.checks;
