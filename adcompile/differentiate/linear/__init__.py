"""What both modes read: places that hold adjoints or tangents, rules applied to operations, and where these reach."""
