package dev.berth.node.gpu;

/** Receives the numbered errors (Xids) that the driver reports, from any thread. */
interface XidListener {

    void onXid(String uuid, int number);

    void onXid(PciAddress address, int number);
}
