/**
 * Password checks by PAM. Modules of PAM are native code of others that may crash, hang or change
 * the process, so each check runs in a <em>child</em>: a short-lived process of its own that reads
 * user and password from its standard input and writes a verdict.
 */
@NullMarked
package dev.berth.node.pam;

import org.jspecify.annotations.NullMarked;
