package io.verbena.outcome;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the conformance table over a device, for interop/hardware.sh: PROVIDER[:DEVICE] ADDRESS COLUMN DOCUMENT. */
public final class ConformanceProgram {

    private ConformanceProgram() {}

    public static void main(String[] arguments) throws Exception {
        InetAddress address = InetAddress.getByName(arguments[1]);
        List<String> differences = new ArrayList<>();
        Conformance.run(
                new Ground() {
                    @Override
                    public Rnic open() {
                        return Rnic.open(RnicOptions.defaults().withProvider(arguments[0]));
                    }

                    @Override
                    public InetAddress address() {
                        return address;
                    }
                },
                arguments[2],
                Path.of(arguments[3]),
                each -> {
                    System.out.println(each);
                    differences.add(each);
                });
        System.out.println(Conformance.count() + " assertions, " + differences.size() + " differences");
        System.exit(differences.isEmpty() ? 0 : 1);
    }
}
