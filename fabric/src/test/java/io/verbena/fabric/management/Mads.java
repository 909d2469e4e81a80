package io.verbena.fabric.management;

import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;

/** Builds management datagrams for tests. */
final class Mads {

    private Mads() {}

    static MemorySegment blank() {
        return MemorySegment.ofArray(new byte[SmpHeader.MAD_LENGTH]);
    }

    static MemorySegment smp(int mgmtClass, int method, int attribute, int modifier) {
        MemorySegment mad = blank();
        new MadHeader()
                .wrap(mad, 0)
                .baseVersion(1)
                .mgmtClass(mgmtClass)
                .classVersion(1)
                .method(method)
                .transactionId(1)
                .attributeId(attribute)
                .attributeModifier(modifier);
        return mad;
    }

    static MemorySegment directed(int method, int attribute, int modifier, int... ports) {
        MemorySegment mad = smp(Smp.CLASS_DIRECTED, method, attribute, modifier);
        SmpHeader header = new SmpHeader()
                .wrap(mad, 0)
                .hopCount(ports.length)
                .drSlid(0xffff)
                .drDlid(0xffff);
        for (int i = 0; i < ports.length; i++) {
            header.initialPath(i + 1, ports[i]);
        }
        return mad;
    }

    static int status(MemorySegment mad) {
        return new MadHeader().wrap(mad, 0).status() & 0x7fff;
    }
}
