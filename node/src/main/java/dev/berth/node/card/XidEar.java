package dev.berth.node.card;

/** Is told of the numbered errors (Xids) that the driver reports, from any thread. */
interface XidEar {

    void heard(String uuid, int number);

    void heard(PciAddress place, int number);
}
