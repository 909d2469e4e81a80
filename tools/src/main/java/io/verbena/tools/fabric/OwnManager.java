package io.verbena.tools.fabric;

import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.ManagedSubnet;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.Routing;
import io.verbena.tools.base.Failure;

/** Brings a fabric up with Verbena's own subnet manager. */
public final class OwnManager {

    private static final long LIMIT_NS = 60_000_000_000L;

    private OwnManager() {}

    /**
     * Brings it up, in virtual time.
     *
     * @throws Failure if there is no adapter for the manager, or nodes do not answer
     */
    public static SubnetManager bringUp(ManagedFabric fabric, Routing routing, int lmc) throws Failure {
        SubnetManager.Options options = new SubnetManager.Options(routing, lmc, LIMIT_NS);
        ManagedSubnet subnet = ManagedSubnet.atFirstAdapter(fabric, options)
                .orElseThrow(() -> new Failure("The topology has no adapter with a cable for the subnet manager"));
        if (!subnet.bringUp(LIMIT_NS)) {
            throw new Failure(
                    "The subnet did not come up: " + subnet.manager().unanswered() + " requests were not answered");
        }
        return subnet.manager();
    }
}
