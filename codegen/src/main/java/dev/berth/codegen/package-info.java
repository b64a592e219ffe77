/**
 * Runs at build time only. Generates source text from the compiled records of {@code wire}, so that
 * a field of the API is declared once and the program needs no reflection when it starts.
 */
@NullMarked
package dev.berth.codegen;

import org.jspecify.annotations.NullMarked;
