// Package fleet runs a deployment to try it: replicas as processes of their own behind a
// balancer, and agents that ask them without a pause. Afterwards it holds what the agents
// were told against what the store says.
package fleet
