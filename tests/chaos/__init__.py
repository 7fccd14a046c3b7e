"""`make chaos`: a pipeline and gateways over Kafka that are killed at random under readers."""
