/**
 * Encodes values as bytes. The shape of a value is that of its Java type: records, sealed
 * interfaces and enums, with a few types of the JDK as leaves. A reader creates only types that the
 * root type of the codec reaches.
 */
@NullMarked
package dev.berth.nodesocket.codec;

import org.jspecify.annotations.NullMarked;
