"""The HTTP vocabulary: who is calling, how a refusal looks, the application every HTTP function starts from."""
