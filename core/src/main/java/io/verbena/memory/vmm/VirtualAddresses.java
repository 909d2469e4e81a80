package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/** Virtual addresses as kernel processes may use them: no segment table, whatever is mapped in the VMM. */
final class VirtualAddresses extends AddressView {

    private final Vmm vmm;
    private final Process process;

    VirtualAddresses(Vmm vmm, Process process) {
        this.vmm = vmm;
        this.process = process;
    }

    @Override
    @Nullable
    SegmentEntry find(long address) {
        return address < 0 ? null : vmm.virtualSegments().find(AddressLayout.upper(address));
    }

    @Override
    SegmentTable table() {
        return vmm.virtualSegments();
    }

    @Override
    public Process process() {
        return process;
    }

    @Override
    public long length() {
        return AddressLayout.VIRTUAL_BYTES;
    }
}
